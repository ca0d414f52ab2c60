// The syntax of modules, for the checks that read sources.
import { parseSync } from "oxc-parser";

const isNode = (node) => node !== null && typeof node === "object";

/**
 * Calls `see` with every node of a tree and the node that it is in, the outer ones first. Goes into no
 * node of which it says `false`.
 */
export const walk = (node, see, parent = {}) => {
  if (!isNode(node)) return;
  if (node.type !== undefined && see(node, parent) === false) return;
  for (const child of Object.values(node))
    walk(child, see, node.type === undefined ? parent : node);
};

/** The tree of a module. */
export const programOf = (file, text) => {
  const { errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return program;
};
