// A target for coverage-guided fuzzing with Jazzer.js, which needs glibc ≥ 2.38. After `pnpm
// build`:
//
//   npx --package=@jazzer.js/core@4.0.0 jazzer packages/tree-link/fuzz/jazzer.mjs -- \
//     -use_value_profile=1 -max_len=600 -dict=packages/tree-link/fuzz/tree-link.dict
//
// Any input is read as bytes and as text. What decodes must encode back, and nothing but
// TreeLinkError may be thrown.
import { decodeBytes, encode, encodeBytes, safeDecode, TreeLinkError } from "../dist/index.js";

const unpadded = (text) => text.replace(/=+$/u, "");

/** @param {Buffer} data */
export const fuzz = (data) => {
  const text = data.toString("latin1");
  const result = safeDecode(text);
  if (result.ok && unpadded(encode(result.link)) !== unpadded(text))
    throw new Error("the text does not come back");
  try {
    const link = decodeBytes(data);
    if (!data.equals(encodeBytes(link))) throw new Error("the bytes do not come back");
  } catch (error) {
    if (!(error instanceof TreeLinkError)) throw error;
  }
};
