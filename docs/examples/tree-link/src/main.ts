// Reads a passive-tree link from any text, changes it and writes it again.
import { encode } from "@game-data/tree-link";
import { CLASSES } from "@game-data/tree-link/class-names";
import { buildUrl, decodeUrl } from "@game-data/tree-link/url";

const message = "My build: https://www.example.com/passive-skill-tree/AAAABgMCAghnES0AAboaES0=";
const tree = decodeUrl(message);
console.log(`${CLASSES[tree.class]}, version ${tree.version}, nodes ${tree.hashes.join(" ")}`);

const shorter = encode({ ...tree, hashes: tree.hashes.slice(0, 1) });
console.log(buildUrl(shorter, { base: "https://www.example.com" }));
