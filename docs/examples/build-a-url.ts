// The route table of the data API: what a call needs, and its path. No client, no Effect.
import { requestTarget, routes } from "@game-data/contract/routes";

const call = "stashes.get";
console.log(routes[call].method, routes[call].path, routes[call].scopes);

console.log(requestTarget(call, { league: "Standard", stash_id: "0123456789" }));
console.log(
  requestTarget(call, { realm: "console_a", league: "Standard", stash_id: "0123456789" }),
);

try {
  requestTarget(call, { league: "Standard", stash_id: "../profile" });
} catch (error) {
  console.log(String(error));
}
