// The packages in the order of the site, and their public entries.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");
export const BASE = "/game-data";
export const REPOSITORY = "https://github.com/game-data/game-data/blob/main";

export const packages = [
  "api-client",
  "oauth-pkce",
  "rate-limit",
  "stream-follower",
  "sandbox",
  "schemas",
  "contract",
  "tree-link",
  "create",
];

/** Entry, such as `api-client/promise` → its source file, from the root. */
export const entries = new Map(
  packages.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    return Object.entries(manifest.exports)
      .filter(([path, target]) => target?.endsWith(".ts") && !/\*|worker/i.test(path))
      .map(([path, target]) => [`${name}${path.slice(1)}`, join("packages", name, target)]);
  }),
);
