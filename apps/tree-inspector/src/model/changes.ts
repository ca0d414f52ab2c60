/** What a repair does to a payload, character by character. */

/** Characters that stay, go or come. */
export interface Run {
  readonly kind: "same" | "del" | "ins";
  readonly text: string;
}

/**
 * The runs of `from` and `to`. A repair writes other characters in place, leaves out those that are
 * no base64url, and cuts or appends at the end, so that places of both texts can be told apart.
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
