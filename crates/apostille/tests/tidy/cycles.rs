//! Modules that lie side by side point one way.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{is_test_file, list_paths, list_rooms, list_sources, read_code, read_tokens};

/// How many modules may be in cycles below the roots of all crates; at a root there is none.
const MAX_NESTED: usize = 10;

/// The names from a crate's root to a module.
type ModulePath = Vec<String>;
type Edges = BTreeMap<String, BTreeSet<String>>;

#[test]
fn siblings_have_no_cycles() {
    let mut nested = Vec::new();
    for room in list_rooms() {
        for (parent, group) in find_cycles(&read_modules(&room)) {
            let place = [vec![room.clone()], parent.clone()].concat().join("::");
            assert!(
                !parent.is_empty(),
                "modules of {place} reach each other: {group:?}"
            );
            nested.push((place, group));
        }
    }
    let n: usize = nested.iter().map(|(_, group)| group.len()).sum();
    assert!(n <= MAX_NESTED, "{n} modules are in cycles: {nested:?}");
}

/// The code of every module of a crate.
fn read_modules(room: &str) -> BTreeMap<ModulePath, Vec<String>> {
    let folder = format!("crates/{room}/src");
    let mut modules = BTreeMap::new();
    for path in list_sources(&folder) {
        let inside = path[folder.len() + 1..].strip_suffix(".rs").unwrap();
        if is_test_file(&path) || inside.starts_with("bin/") {
            continue;
        }
        let mut names: ModulePath = inside.split('/').map(String::from).collect();
        if ["mod", "lib", "main"].contains(&names.last().unwrap().as_str()) {
            names.pop();
        }
        modules.insert(names, read_code(&path));
    }
    modules
}

/// For every module with children: the groups of these that reach each other.
///
/// A path that leads from one place in the tree to another counts as an edge between the two children of their nearest
/// common parent: those are the modules that a reader wants to take one after the other.
fn find_cycles(modules: &BTreeMap<ModulePath, Vec<String>>) -> Vec<(ModulePath, Vec<String>)> {
    let known: BTreeSet<&[String]> = modules
        .keys()
        .flat_map(|it| (1..=it.len()).map(|n| &it[..n]))
        .collect();
    let mut levels: BTreeMap<&[String], Edges> = BTreeMap::new();
    for (from, code) in modules {
        for path in list_paths(code, &["crate", "super", "self"]) {
            let to = resolve_module(&known, from, &path);
            let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if same < from.len() && same < to.len() {
                let edges = levels.entry(&from[..same]).or_default();
                let targets = edges.entry(from[same].clone()).or_default();
                targets.insert(to[same].clone());
            }
        }
    }
    let mut found = Vec::new();
    for (parent, edges) in levels {
        for group in group_by_mutual_reach(&edges) {
            found.push((parent.to_vec(), group));
        }
    }
    found
}

/// The innermost module that a path names.
fn resolve_module(known: &BTreeSet<&[String]>, from: &[String], path: &[String]) -> ModulePath {
    let n_supers = path.iter().take_while(|it| *it == "super").count();
    let (mut module, rest) = match path[0].as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (from.to_vec(), &path[1..]),
        _ => (
            from[..from.len().saturating_sub(n_supers)].to_vec(),
            &path[n_supers..],
        ),
    };
    for name in rest {
        module.push(name.clone());
        if !known.contains(module.as_slice()) {
            module.pop();
            break;
        }
    }
    module
}

/// Strongly connected components with more than one member.
fn group_by_mutual_reach(edges: &Edges) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<String>> = edges
        .keys()
        .map(|it| (it, list_reachable(edges, it)))
        .collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (name, reached) in &reach {
        if reached.contains(*name) {
            let comes_back = |it: &&String| reach.get(it).is_some_and(|back| back.contains(*name));
            groups.insert(reached.iter().filter(comes_back).cloned().collect());
        }
    }
    groups.into_iter().collect()
}

fn list_reachable(edges: &Edges, start: &String) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for next in edges.get(name).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn cycles_are_found_at_every_level() {
    let modules = [
        ("a", "use crate::b::B; mod x;"),
        ("a::x", "use super::y::{self, Y}; pub(crate) fn f() {}"),
        ("a::y", "fn g() { super::super::c::h() }"),
        ("a::y::deep", "fn g(it: crate::a::x::X) {}"),
        ("b", "use crate::a; use self::inner::I;"),
        ("b::inner", "use super::*;"),
        ("c", "use std::fs;"),
    ];
    let modules = modules
        .iter()
        .map(|(path, code)| {
            let names = path.split("::").map(String::from).collect();
            (names, read_tokens(code))
        })
        .collect();
    let found: Vec<(String, String)> = find_cycles(&modules)
        .iter()
        .map(|(parent, group)| (parent.join("::"), group.join(" ")))
        .collect();
    let expected = [("", "a b"), ("a", "x y")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(found, expected);
}
