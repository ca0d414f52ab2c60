// Audits clients by the rules of the specification: our own packages and five OAuth libraries of
// others. None may break a rule of level error. Ours may not cause a warning either.
//
//   node packages/sandbox/audits/clients.mjs [NAME]…
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const { execPath: node } = process;
const thirdParty = (library) => ({
  command: [node, "packages/sandbox/audits/thirdParty.mjs", library],
  scenarios: ["baseline", "forged-callback"],
  isOurs: false,
});

const AUDIT =
  "packages/sandbox/src/main.ts audit --json --timeout 60 --world streamHistoryPages=2 --world streamPageSize=20";

/** The programs, with the scenarios that they meet. */
const CLIENTS = {
  "oauth-pkce and api-client": {
    command: [node, "apps/tour/audits/account.ts"],
    options: ["--client", "example-desktop"],
    scenarios:
      "baseline token-expires-mid-run forged-callback maintenance firewall-block policy-tightens slow-body cut-body empty-body gone drifted-schema all-null revoked-by-user".split(
        " ",
      ),
  },
  "stream-follower": {
    command: [node, "apps/tour/audits/stream.ts"],
    options: ["--client", "example-service"],
    scenarios: ["baseline", "maintenance", "cut-body", "empty-body", "stream-end", "slow-body"],
  },
  ...Object.fromEntries(
    ["oauth4webapi", "openid-client", "@badgateway/oauth2-client", "arctic", "simple-oauth2"].map(
      (library) => [library, thirdParty(library)],
    ),
  ),
};

const wanted = process.argv.slice(2);
let isGreen = true;
for (const [name, { command, isOurs = true, options = [], scenarios }] of Object.entries(CLIENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(
    node,
    AUDIT.split(" ").concat(
      options,
      scenarios.flatMap((scenario) => ["--scenario", scenario]),
      "--",
      command,
    ),
    { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (stdout === "") throw new Error(`${name}: no report (${status})\n${stderr}`);
  const { exit, rules, runs } = JSON.parse(stdout);
  const count = (verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const broken = rules.filter(
    ({ verdict }) => verdict === "fail" || (isOurs && verdict === "warn"),
  );
  const late = runs.filter(({ isTimeout }) => isTimeout).map(({ scenario }) => scenario);
  const passed = broken.length === 0 && late.length === 0 && exit === 0 && count("pass") > 3;
  isGreen &&= passed;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${passed ? "ok  " : "FAIL"} ${name}: ${runs.length} runs, ${count("pass")} passed, ${count("warn")} warnings, ${count("fail")} failed, ${count("not exercised")} not exercised, exit ${exit} (${seconds} s)`,
  );
  for (const { broken: violations, id, title } of rules.filter(({ broken: all }) => all.length > 0))
    for (const { message, scenario } of violations.slice(0, 3))
      console.log(`       ${id} ${title}: ${scenario}: ${message}`);
  if (late.length > 0) console.log(`       took too long: ${late.join(", ")}`);
  if (!passed) console.log(stderr.split("\n").slice(-30).join("\n"));
}
process.exitCode = isGreen ? 0 : 1;
