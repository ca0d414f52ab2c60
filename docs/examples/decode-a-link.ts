// Reads a passive-tree link and writes it again, byte for byte.
import { decode, encode } from "@game-data/tree-link";

const link = encode({
  version: 6,
  class: 3,
  ascendancy: 1,
  alternateAscendancy: 0,
  hashes: [6, 1203, 50459],
  extendedHashes: [],
  masteries: [],
});
console.log(link);

const tree = decode(link);
console.log(tree);
console.log(encode(tree) === link ? "the same link again" : "another link");
