/**
 * Commands without a service: links, schemas, explanations, help, and how failures leave the
 * program.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { errors } from "@game-data/contract/ErrorCode";
import { describe, expect, it } from "vitest";
import { failureCodes } from "@game-data/terminal/failureCodes";
import { ExitCode } from "@game-data/terminal/ExitCode";
import { explanationsFor } from "../src/output/explain.ts";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();
const LINK = "AAAABgMCAQABAAA=";

describe("tree", () => {
  it("decodes a link and encodes it again", async () => {
    const link = await prompt.json(["tree", "decode", LINK]);
    expect(link).toEqual({
      version: 6,
      class: 3,
      ascendancy: 2,
      alternateAscendancy: 0,
      hashes: [1],
      extendedHashes: [],
      masteries: [],
    });
    const again = await prompt.run("tree encode -", { input: JSON.stringify(link) });
    expect([again.stdout, again.code]).toEqual([`${LINK}\n`, 0]);
  });

  it("rejects a malformed link with exit 65 and one JSON error on stderr", async () => {
    const { code, stderr, stdout } = await prompt.run("tree decode AAAABgMC --json");
    expect([code, stdout]).toEqual([65, ""]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      ...{ code: "bad-link", exitCode: 65, reason: "truncated" },
      ...{ unit: "byte", offset: 6, field: "hashes" },
      message: expect.stringContaining("The link is cut off"),
    });
  });

  it("names the field that cannot be encoded", async () => {
    const { code, stderr } = await prompt.run("tree encode -", { input: '{"version":9}' });
    expect(code).toBe(65);
    expect(stderr).toMatch(/^error: Cannot encode a link: .*version.*\n→ see the fields/u);
    // Of a line among others, too.
    const lines = await prompt.run("tree encode -", { input: '{"version":9}\n{"version":9}\n' });
    const [first] = lines.stderr.split("\n");
    expect(JSON.parse(first!).error).toMatchObject({
      next: expect.stringMatching(/^see the fields/u),
    });
  });

  it("starts without the packages that talk to a service", () => {
    // One process runs them all: what a command has loaded stays loaded.
    const light = [["tree", "decode", LINK], ["explain"], ["--help"], ["leagues", "--help"]];
    const program = new URL("support/runInTurn.ts", import.meta.url).pathname;
    const lines = JSON.stringify([...light, ["schemas", "kinds"]]);
    const printed = execFileSync(process.execPath, [program, lines], { encoding: "utf8" });
    // The words of flags come from the table of operations, which imports nothing.
    expect(printed.trimEnd().split("\n")).toEqual([
      ...light.map(() => "loaded: contract tree-link"),
      "loaded: contract schemas tree-link",
    ]);
  });

  it.each([["decode"], ["inspect"], ["convert", "--to", "5"], ["repair"]])(
    "%s reads a link a line, and tells of each line and payload",
    async (...verb) => {
      const input = `${LINK}\nbad\n\nBuild: https://www.example.com/passive-skill-tree/${LINK}\n`;
      const { code, stderr, stdout } = await prompt.run(["tree", ...verb, "-"], { input });
      const rows = stdout.trimEnd().split("\n");
      expect(rows.map((row) => JSON.parse(row))).toMatchObject([
        { line: 1, payload: LINK },
        { line: 4, payload: LINK },
      ]);
      expect([code, JSON.parse(stderr).error.line]).toEqual([65, 2]);
    },
  );

  it("fits into 40 columns with every name whole", async () => {
    const hashes = Array.from({ length: 255 }, () => 65_535);
    const { stdout: link } = await prompt.run("tree encode -", {
      input: JSON.stringify({
        ...{ version: 6, class: 255, ascendancy: 3, alternateAscendancy: 63, hashes: [] },
        ...{ extendedHashes: hashes, masteries: [{ node: 65_535, effect: 65_535 }] },
      }),
    });
    const run = prompt.start(["tree", "inspect", link.trim()], { columns: 40 });
    const lines = stripVTControlCharacters((await run.ended).stdout)
      .trimEnd()
      .split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(40);
    expect(lines.filter((line) => line.includes("…"))).toEqual([]);
    expect(lines.map((line) => line.split(/ {2,}/u)[0])).toEqual(
      expect.arrayContaining(["alternateAscendancy", "extendedHashes 255 hash"]),
    );
  });

  it("offers repairs, or says that there is none", async () => {
    const { repairs } = (await prompt.json("tree repair AAAABgMCBQhnES0=")) as any;
    expect(repairs[0]).toEqual({
      note: "sets the count of hashes (byte 6) from 5 to 2, appends a count of 0 for extendedHashes and masteries",
      payload: "AAAABgMCAghnES0AAA==",
    });
    expect((await prompt.run("tree repair AAAABwAAAAAA")).code).toBe(65);
  });

  it("exits with 1 for different links where it is asked to", async () => {
    const diff = async (...args: Array<string>) =>
      (await prompt.run(["tree", "diff", ...args], { input: `${LINK}\n` })).code;
    const other = "AAAABgAAAAAA";
    expect(await diff(LINK, other)).toBe(0);
    expect(await diff(LINK, other, "--exit-code")).toBe(1);
    expect(await diff(LINK, LINK, "--exit-code")).toBe(0);
    expect(await diff("-", LINK, "--exit-code")).toBe(0);
  });

  it.each([
    [LINK, "-"],
    ["-", LINK],
  ])("compares each link of standard input: diff %s %s", async (from, to) => {
    const input = `${LINK}\n\n${LINK} AAAABgMCAAAA\nbad\n${LINK}\n`;
    const { code, stdout } = await prompt.run(["tree", "diff", from, to, "--exit-code"], { input });
    const rows = stdout.trimEnd().split("\n");
    const [list] = from === "-" ? ["added"] : ["removed"];
    const shown = rows.map((row) => JSON.parse(row)).map(({ line, lists }) => [line, lists[0]]);
    const changed = { list: "hashes", added: [], removed: [], [list!]: ["1"] };
    expect(shown).toEqual([
      [1, undefined],
      [3, undefined],
      [3, changed],
      [5, undefined],
    ]);
    // A malformed line outweighs a difference.
    expect(code).toBe(65);
    const sound = input.replace("bad", "");
    expect(
      (await prompt.run(["tree", "diff", from, to, "--exit-code"], { input: sound })).code,
    ).toBe(1);
    expect((await prompt.run(["tree", "diff", from, to], { input: sound })).code).toBe(0);
  });

  it("compares two lines of standard input", async () => {
    const input = `${LINK}\nAAAABgMCAAAA\n`;
    const { stdout } = await prompt.run("tree diff - -", { input });
    expect(stdout).toBe("- hashes 1\n");
  });

  it("gives a row for each link of a line, the sound ones too", async () => {
    const input = `a: AAAABgMCAAA https://x.example/?a=${LINK} ${LINK}, AAAABgAAAAAA\n`;
    const { code, stderr, stdout } = await prompt.run("tree decode -", { input });
    const rows = stdout.trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row)).map(({ line, payload }) => [line, payload])).toEqual([
      [1, LINK],
      [1, "AAAABgAAAAAA"],
    ]);
    expect([code, JSON.parse(stderr).error.line]).toEqual([65, 1]);
  });

  it.each([
    [["decode", "-"], ["--jq", ".payload, .class"], `${LINK}\n3\n${LINK}\n3\n`],
    [["decode", "-"], ["--template", "\\(.line): \\(.version)"], "1: 6\n2: 6\n"],
    [["encode", "-"], ["--jq", '. + "!"'], `${LINK}!\n${LINK}!\n`],
    [["diff", LINK, "-"], ["--jq", ".lists"], "[]\n[]\n"],
  ])("filters the rows of tree %j with %j", async (verb, flags, expected) => {
    const links = `${LINK}\n${LINK}\n`;
    const decoded = (await prompt.run("tree decode -", { input: links })).stdout;
    const input = verb[0] === "encode" ? decoded : links;
    const { code, stdout } = await prompt.run(["tree", ...verb, ...flags], { input });
    expect([code, stdout]).toEqual([0, expected]);
  });

  it("tells once that a jq program is wrong", async () => {
    const input = `${LINK}\n${LINK}\n`;
    const { code, stderr, stdout } = await prompt.run("tree decode - --jq [", { input });
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr.match(/bad-jq/gu)).toHaveLength(1);
  });

  it("tells what a conversion would lose", async () => {
    const link = "AAAABgMCAQABAAE=";
    expect((await prompt.error(["tree", "convert", link, "--to", "4"])).exit).toBe(65);
  });
});

describe("schemas check", () => {
  const filter = {
    id: "a",
    filter_name: "Mine",
    realm: "pc",
    description: "",
    version: "1",
    type: "Normal",
  };
  const write = (name: string, value: unknown) => {
    const path = join(prompt.home, name);
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  };

  it("finds a record valid, and names where it departs without telling values", async () => {
    const path = write("drift.json", { ...filter, type: "SecretWord", extra: "hidden-value" });
    const { code, stdout } = await prompt.run(["schemas", "check", "ItemFilter", path]);
    expect(code).toBe(0);
    const verdict = JSON.parse(stdout);
    expect(Object.keys(verdict)).toEqual(["valid", "issues", "drift"]);
    expect(verdict).toMatchObject({
      valid: true,
      issues: [],
      drift: [
        { kind: "unknown-word", pointer: "/type" },
        { kind: "unknown-key", pointer: "/extra" },
      ],
    });
    expect(stdout).not.toMatch(/SecretWord|hidden-value/u);
  });

  it("refuses what does not decode with exit 65, the places on stdout", async () => {
    const path = write("bad.json", { ...filter, version: 3, id: undefined });
    const { code, stdout } = await prompt.run(["schemas", "check", "ItemFilter", path]);
    expect(code).toBe(65);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      issues: [{ pointer: "/id" }, { pointer: "/version" }],
    });
  });

  it("knows bodies and endpoints, and takes standard input", async () => {
    const page = JSON.stringify({ next_change_id: "1", stashes: [] });
    const body = await prompt.run("schemas check PublicStashPage -", { input: page });
    expect(JSON.parse(body.stdout)).toEqual({ valid: true, issues: [], drift: [] });
    const answer = await prompt.run("schemas check itemFilters.update -", {
      input: JSON.stringify({ filter, error: { code: 1, message: "m" } }),
    });
    expect(JSON.parse(answer.stdout).valid).toBe(true);
    const kinds = await prompt.json("schemas kinds");
    expect(kinds).toEqual(expect.arrayContaining(["Item", "CurrencyExchangePage", "stashes.get"]));
  });

  it("says which input is wrong, and how", async () => {
    const broken = write("broken.json", "{");
    expect(await prompt.error(["schemas", "check", "Item", broken])).toMatchObject({
      code: "bad-json",
    });
    expect(await prompt.error("schemas check Item none.json")).toMatchObject({
      code: "no-such-file",
    });
    expect(await prompt.error(["schemas", "check", "Item", prompt.home])).toMatchObject({
      code: "unreadable-file",
    });
    expect(await prompt.error(["schemas", "check", "Thing", broken])).toMatchObject({
      code: "unknown-kind",
    });
  });
});

/** The exit code of each code. Scripts rely on both: neither changes without a major release. */
const EXITS: Readonly<Record<string, string>> = {
  1: "log-damaged",
  64: "usage unknown-code unknown-kind bad-jq",
  65: "bad-link conversion-loses bad-json record-invalid request-invalid",
  66: "no-such-file no-such-command not-found nothing-followed",
  69: "unreachable timed-out service-failed sign-in-timed-out",
  70: "internal store-damaged",
  74: "unreadable-file unwritable-file token-store-failed store-failed",
  75: "lease-lost rate-limited",
  76: "answer-malformed not-conforming stream-broken",
  77: "not-signed-in denied sign-in-failed scope-missing forbidden",
  78: "setting-missing setting-invalid client-rejected no-user-needed",
};

describe("explain", () => {
  it("lists every code with its exit code", async () => {
    const all = (await prompt.json("explain")) as Array<{ code: string; exitCode: number }>;
    expect(all.map(({ code }) => code)).toEqual(Object.keys(failureCodes));
    const found = Object.entries(Object.groupBy(all, ({ exitCode }) => exitCode));
    expect(found.map(([exit, of]) => [exit, of?.map(({ code }) => code).join(" ")])).toEqual(
      Object.entries(EXITS),
    );
  });

  it("explains a code, a tag in any case, and words on the wire", async () => {
    const explain = (word: string) => prompt.json(["explain", word]);
    expect(await explain("rate-limited")).toMatchObject([{ exitCode: 75 }]);
    const grant = {
      code: "not-signed-in",
      help: expect.stringMatching(/\/errors\/invalidgrant\/$/u),
    };
    expect(await explain("InvalidGrant")).toMatchObject([grant]);
    expect(await explain("invalidgrant")).toMatchObject([grant]);
    expect(await explain("invalid_grant")).toMatchObject([
      { ...grant, said: expect.stringContaining("the code or the refresh token") },
    ]);
    const limited: ReadonlyArray<{ code: string }> = await explain("429");
    expect(limited.map(({ code }) => code)).toContain("rate-limited");
    expect(await explain("3")).toEqual(limited);
    expect(await explain("RateLimitExceeded")).toEqual(limited);
    expect(await explain("INVALID_GRANT")).toEqual(await explain("invalid_grant"));
    expect(await explain("Rate-Limited")).toEqual(await explain("rate-limited"));
    expect(await explain("invalid-grant")).toEqual(await explain("invalid_grant"));
    const [named] = await explain("RateLimited");
    expect(named).toMatchObject({ errors: ["RateLimited"], help: expect.any(String) });
    expect(await explain(named.help)).toEqual([named]);
    expect(await explain("Forbidden")).toMatchObject([{ help: expect.any(String) }]);
  });

  it("names what a user may have meant by an unknown word", async () => {
    expect(await prompt.error("explain toString")).toMatchObject({ exit: 64 });
    expect(await prompt.error("explain ratelimit")).toMatchObject({
      exit: 64,
      next: "is it one of these: RateLimited",
    });
  });

  /** Error codes of the OAuth endpoints (RFC 6749 §4.1.2.1 and §5.2, RFC 7009, RFC 6750). */
  const OAUTH_CODES = [
    ...["invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type"],
    ...["invalid_scope", "server_error", "temporarily_unavailable", "invalid_client"],
    ...["invalid_grant", "unsupported_grant_type", "unsupported_token_type", "invalid_token"],
    "insufficient_scope",
  ];

  it("knows every code of the specification", () => {
    const words = [
      ...OAUTH_CODES,
      ...Object.values(errors).flatMap(({ code, status }) => [`${code}`, `${status}`]),
    ];
    expect(words.filter((word) => explanationsFor(word).length === 0)).toEqual([]);
  });

  it("has a page for every error: the check fails for a new one without", () => {
    const root = new URL("../../../", import.meta.url).pathname;
    const copy = join(prompt.home, "copy");
    mkdirSync(join(copy, "packages/planted/src"), { recursive: true });
    mkdirSync(join(copy, "docs"));
    for (const file of ["scripts/errors.mjs", "scripts/repository.mjs"])
      cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "support"), join(copy, "support"));
    const planted = "/** It broke. */\nexport class Planted extends Error {}\n";
    writeFileSync(join(copy, "packages/planted/src/Errors.ts"), planted);
    const script = join(copy, "scripts/errors.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/does not say what to do[^]*Planted has no row/u);
  });
});

describe("the command line", () => {
  it("says what is wrong in a line, and where to look, with exit 64", async () => {
    const { code, stderr, stdout } = await prompt.run("stash lst");
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain('Unknown subcommand "lst"');
    expect(stderr).toContain("→ see the options with: gamedata stash --help");
    expect(await prompt.error("ladder X --limit many")).toMatchObject({ code: "usage" });
  });

  it("documents the exit codes that it has", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const table = [...readme.matchAll(/^\|\s*(\d+)\s*\|\s*`(\w+)`\s*\|/gmu)].map(
      ([, code, name]) => [name, Number(code)],
    );
    expect(Object.fromEntries(table)).toEqual(ExitCode);
  });
});
