"""What the program is made of, as CycloneDX 1.5 in JSON."""

import datetime
import json
import uuid

from .cargo_graph import read_carried_crates, read_digests


def write_sbom(release):
    path = release.out / f"{release.full_name}.cdx.json"
    path.write_text(render_sbom(release), newline="\n")
    return [path]


def render_sbom(release):
    crates, graph = read_carried_crates(release.target)
    references = {it["id"]: make_reference(it) for it in crates}
    program = next(it for it in crates if it["name"] == "apostille")
    said = f"{release.full_name} {release.commit or release.time}"
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # The same release has the same number.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, said)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(release.time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": describe_program(release, references[program["id"]]),
            "properties": [{"name": "apostille:target", "value": release.target}]
            + ([{"name": "apostille:commit", "value": release.commit}] if release.commit else []),
        },
        "components": [describe_crate(it, references[it["id"]]) for it in crates if it is not program],
        "dependencies": [
            {"ref": references[it["id"]], "dependsOn": sorted({references[other] for other in graph[it["id"]]})} for it in crates
        ],
    }
    return json.dumps(bom, indent=1) + "\n"


def make_reference(crate):
    return f"pkg:cargo/{crate['name']}@{crate['version']}"


def describe_program(release, reference):
    return {
        "type": "application",
        "bom-ref": reference,
        "name": "apostille",
        "version": release.version,
        "description": release.description,
        "licenses": [{"expression": release.license}],
        "purl": reference,
    }


def describe_crate(crate, reference):
    digest = read_digests().get((crate["name"], crate["version"]))
    described = {"type": "library", "bom-ref": reference, "name": crate["name"], "version": crate["version"], "scope": "required"}
    described |= {"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {}
    # Some manifests still separate the choices with a slash.
    described["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
    described["purl"] = reference
    described |= {"externalReferences": [{"type": "vcs", "url": it}]} if (it := crate.get("repository")) else {}
    return described
