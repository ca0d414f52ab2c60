/** The state of the page: its text, with undo and redo. The text is kept in the address. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Edited } from "../model/Edit.ts";
import { readFragment, writeFragment } from "../model/Fragment.ts";
import { begin, record, step } from "../model/History.ts";

const putAddress = (link: string) => {
  const fragment = writeFragment(link);
  window.history.replaceState(null, "", fragment === "" ? location.pathname : `#${fragment}`);
};

/** Reads the text of the address, and removes everything except a payload from the fragment. */
const readAddress = (): string => {
  const link = readFragment(location.hash);
  putAddress(link);
  return link;
};

/** Returns the text of the page and the functions that change it. */
export const usePage = () => {
  const [history, setHistory] = useState(() => begin(readAddress()));
  const link = history.states[history.at]!;
  const [refused, setRefused] = useState<string>();

  useEffect(() => {
    const listen = () => {
      setRefused(undefined);
      setHistory(begin(readAddress()));
    };
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, []);

  const go = (next: typeof history) => {
    setRefused(undefined);
    setHistory(next);
    putAddress(next.states[next.at]!);
  };
  const change = (text: string, isTyping = false) => go(record(history, text, isTyping));
  return {
    link,
    /** The reason why the last edit was refused. */
    refused,
    /** Removes the message about a refused edit. */
    settle: () => setRefused(undefined),
    change,
    apply: (edited: Edited) => (edited.ok ? change(edited.payload) : setRefused(edited.message)),
    undo: history.at > 0 ? () => go(step(history, -1)) : undefined,
    redo: history.at < history.states.length - 1 ? () => go(step(history, 1)) : undefined,
  };
};

export type PageTexts = ReturnType<typeof usePage>;

/** Handles the keys for undo and redo, unless the focused field has its own undo. */
export const useUndoKeys = (page: PageTexts) =>
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, shiftKey, target } = event;
      const key = event.key.toLowerCase();
      if ((!ctrlKey && !metaKey) || (key !== "z" && key !== "y")) return;
      if (target instanceof Element && target.matches(":is(textarea, [type=number]):read-write"))
        return;
      event.preventDefault();
      (key === "y" || shiftKey ? page.redo : page.undo)?.();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });

/** Focuses the outcome of a change that removed or disabled the focused button. */
export const useOutcomeFocus = (link: string) => {
  const before = useRef(link);
  useLayoutEffect(() => {
    const isFirst = before.current === link;
    before.current = link;
    const { activeElement, body } = document;
    if (isFirst || (activeElement !== body && activeElement?.matches(":disabled") === false))
      return;
    document.getElementById(link === "" ? "link" : "outcome")?.focus();
  }, [link]);
};
