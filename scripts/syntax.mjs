// The syntax of modules, for the checks that read sources.
import { parseSync } from "oxc-parser";

const isNode = (node) => node !== null && typeof node === "object";

/** Calls `see` with every node of a tree and the node that it is in, the outer ones first. */
export const walk = (node, see, parent = {}) => {
  if (!isNode(node)) return;
  if (node.type !== undefined) see(node, parent);
  for (const child of Object.values(node))
    walk(child, see, node.type === undefined ? parent : node);
};

/** The tree of a module; `comment` is given its comments. */
export const programOf = (file, text, comment = () => undefined) => {
  const { comments, errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  comment(comments);
  return program;
};
