"""LangGraph: a graph whose nodes read and write verified memory through its store.

    pip install "apostille[langgraph]" langgraph
    python with_langgraph.py FOLDER

FOLDER is a checkout of acme/app here; the namespace names the repository that yours is of.
"""

from __future__ import annotations

import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from stand_ins import keep_a_fact

import apostille
from apostille.langgraph import ApostilleStore

KNOWLEDGE = ("acme", "app", "knowledge")


class State(TypedDict):
    """What goes through the graph."""

    question: str
    answer: str


def answer(state: State, runtime: Runtime[None]) -> dict[str, str]:
    """Answers from what stands in the code."""
    assert runtime.store is not None
    found = runtime.store.search(KNOWLEDGE, query=state["question"], limit=1)
    if not found:
        return {"answer": "I do not know."}
    it = found[0].value
    return {"answer": f"{it['fact']} ({it['handle']}, {it['standing']})"}


def learn(state: State, runtime: Runtime[None]) -> dict[str, str]:
    """Keeps what the graph found out, with its proof."""
    assert runtime.store is not None
    runtime.store.put(KNOWLEDGE, "retries", {"fact": "RETRIES is 5", "citations": ["src/api.rs:4"]})
    return {}


def main(folder: str) -> None:
    """Asks, learns, asks again."""
    with apostille.Memory(folder) as memory:
        graph = StateGraph(State)
        graph.add_node("answer", answer)
        graph.add_node("learn", learn)
        graph.add_edge(START, "answer")
        graph.add_edge("answer", "learn")
        graph.add_edge("learn", END)
        app = graph.compile(store=ApostilleStore(memory))
        for question in ("Which API_VERSION do we speak?", "How many RETRIES?"):
            print(app.invoke({"question": question, "answer": ""})["answer"])


if __name__ == "__main__":
    keep_a_fact(sys.argv[1])
    main(sys.argv[1])
