// Follows the public stash stream into your own table, and finds the cheapest listings.
import { DatabaseSync } from "node:sqlite";
import { createGameApi } from "@game-data/api-client/promise";
import { createConfidentialOAuth } from "@game-data/oauth-pkce/promise";
import { readPrice } from "@game-data/schemas/price";
import { follow } from "@game-data/stream-follower/promise";

const env = (name: string): string => process.env[`GAME_DATA_${name}`] ?? "";
const app = { authUrl: env("AUTH_URL"), clientId: env("CLIENT_ID") };
const oauth = createConfidentialOAuth({ ...app, clientSecret: env("CLIENT_SECRET") });
const api = createGameApi({
  baseUrl: env("BASE_URL"),
  credentials: oauth.applicationSession({ scopes: ["service:psapi"] }),
  userAgent: { clientId: app.clientId, version: "1.0.0", contact: "me@example.com" },
});

const db = new DatabaseSync("listings.db");
db.exec(`CREATE TABLE IF NOT EXISTS listing (stash, account, name, amount REAL, currency);
  CREATE INDEX IF NOT EXISTS listing_stash ON listing (stash);
  CREATE TABLE IF NOT EXISTS position (version INTEGER)`);
const drop = db.prepare("DELETE FROM listing WHERE stash = ?");
const add = db.prepare("INSERT INTO listing VALUES (?, ?, ?, ?, ?)");
const at = db.prepare("SELECT version FROM position").get()?.["version"];
const after = at === undefined ? undefined : BigInt(Number(at));

const stream = { source: "stashes", store: "sqlite:pages.db", until: "caughtUp" } as const;
for await (const { changes, version } of follow({ ...stream, api, after })) {
  db.exec("BEGIN"); // the rows and the position, or neither
  for (const { account, id, items, name: tab } of changes) {
    drop.run(id); // a change shows the whole stash, so it replaces earlier items
    for (const { name, note, typeLine } of items) {
      const price = readPrice(note) ?? readPrice(tab);
      if (price) add.run(id, account, name || typeLine || "", price.amount, price.currency);
    }
  }
  db.exec(`DELETE FROM position; INSERT INTO position VALUES (${version}); COMMIT`);
}
const cheapest = "SELECT account, amount, currency FROM listing WHERE name = ? ORDER BY 3, 2";
console.table(db.prepare(cheapest).all(process.argv[2] ?? "Bramble Snare"));
await api.close();
