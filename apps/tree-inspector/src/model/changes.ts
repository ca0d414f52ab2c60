/** Compares a payload with its repair, character by character. */

/** Consecutive characters that stay, are deleted or are inserted. */
export interface Run {
  readonly kind: "same" | "del" | "ins";
  readonly text: string;
}

/**
 * Returns the runs that turn `from` into `to`. One pass is enough, because a repair only replaces
 * characters in place, drops characters that are not base64url, and cuts or appends at the end.
 */
export const changesOf = (from: string, to: string): ReadonlyArray<Run> => {
  const runs: Array<Run> = [];
  const open = { same: "", del: "", ins: "" };
  const close = (...kinds: ReadonlyArray<Run["kind"]>) => {
    for (const kind of kinds) {
      if (open[kind] !== "") runs.push({ kind, text: open[kind] });
      open[kind] = "";
    }
  };
  let at = 0;
  for (const character of from) {
    if (character === to[at]) {
      close("del", "ins");
      open.same += to[at++];
      continue;
    }
    close("same");
    open.del += character;
    if (/[\w+/-]/u.test(character)) open.ins += to[at++] ?? "";
  }
  if (at < to.length) close("same");
  open.ins += to.slice(at);
  close("same", "del", "ins");
  return runs;
};
