// The route table and the rules of addresses in this runtime.
import assert from "node:assert/strict";
import { requestTarget, routes } from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";

assert.equal(routes["profile.get"].path, "/profile");
assert.equal(
  requestTarget("stashes.list", { realm: "console_a", league: "A b" }),
  "/stash/console_a/A%20b",
);
assert.throws(() => requestTarget("stashes.list", { league: ".." }), { name: "ParameterInvalid" });
assert.ok(isSecureUrl(new URL("http://127.0.0.1:1/")));
assert.ok(!isSecureUrl(new URL("http://api.example/")));
