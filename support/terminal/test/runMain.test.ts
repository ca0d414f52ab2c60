/** Command lines that run in this process, with a host of their own. */
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";
import { describe, expect, it } from "vitest";
import { ChildExit, failure } from "../src/Failure.ts";
import { Host } from "../src/Host.ts";
import { print, printList } from "../src/Output.ts";
import { run } from "../src/runMain.ts";
import { testHost } from "../src/testHost.ts";
import { facts, table } from "../src/View.ts";

const items = [
  { name: "A", level: 3 },
  { name: "B", level: 7 },
];

const program = Command.make("ranks").pipe(
  Command.withDescription("Ranks of a league, of which\nthere are many."),
  Command.withSubcommands([
    Command.make("one", { name: Argument.String("name") }, ({ name }) =>
      print({ name }, (value) => facts([["name", value.name]])),
    ),
    Command.make("all", {}, () =>
      printList(items, (all) =>
        table(
          ["name", "level"],
          all.map((each) => [each.name, each.level]),
        ),
      ),
    ),
    Command.make("missing", {}, () =>
      Effect.fail(failure("not-found", "No ranks found.", { details: { league: "X" } })),
    ),
    Command.make("bug", {}, () => Effect.die(new Error("oops"))),
    Command.make("child", {}, () => Effect.fail(new ChildExit({ exitCode: 9 }))),
  ]),
);

const exec = (...args: ReadonlyArray<string>) => execIn(undefined, ...args);
const execIn = async (columns: number | undefined, ...args: ReadonlyArray<string>) => {
  const { host, stderr, stdout } = testHost(args, { columns, env: { HOME: "/nowhere" } });
  const code = await Effect.runPromise(
    run(program, { name: "ranks", version: "1.0.0" }).pipe(
      Effect.match({ onSuccess: () => 0, onFailure: ({ exitCode }) => exitCode }),
      Effect.provideService(Host, host),
    ),
  );
  return { code, stdout: stdout.text, stderr: stderr.text };
};

describe("a result", () => {
  it("is a view for people, JSON and NDJSON for programs", async () => {
    expect((await exec("one", "A")).stdout).toBe("name  A\n");
    expect((await exec("one", "A", "--json")).stdout).toBe('{"name":"A"}\n');
    expect((await exec("all")).stdout).toBe("name  level\nA         3\nB         7\n");
    expect((await exec("all", "--ndjson")).stdout).toBe(
      '{"name":"A","level":3}\n{"name":"B","level":7}\n',
    );
  });

  it("is filtered by --jq, with strings printed raw", async () => {
    expect((await exec("all", "--jq", ".[] | select(.level > 5) | .name")).stdout).toBe("B\n");
    expect((await exec("all", "--jq", "map(.level) | add")).stdout).toBe("10\n");
    expect((await exec("one", "A", "--jq", ".")).stdout).toBe('{"name":"A"}\n');
  });

  it("is printed with --template, once per item", async () => {
    const template = "\\(.name) is level \\(.level)";
    expect((await exec("all", "--template", template)).stdout).toBe("A is level 3\nB is level 7\n");
    expect((await exec("one", "A", "--template", "<\\(.name)>")).stdout).toBe("<A>\n");
  });

  it("fails with 64 for a jq program that does not compile or fails", async () => {
    for (const jq of [".[", ".name.x | error"]) {
      const { code, stderr, stdout } = await exec("all", "--jq", jq);
      expect([code, stdout]).toEqual([64, ""]);
      expect(JSON.parse(stderr).error).toMatchObject({ code: "bad-jq" });
    }
  });
});

describe("help", () => {
  it("is printed on stdout where it is asked for, and without a subcommand", async () => {
    for (const args of [["--help"], ["one", "--help"], []]) {
      const { code, stderr, stdout } = await exec(...args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("--jq");
    }
    expect((await exec("--version")).stdout).toContain("1.0.0");
  });
});

describe("a failure", () => {
  it("ends with its exit code, as a sentence or as JSON", async () => {
    expect(await exec("missing")).toMatchObject({
      code: 66,
      stdout: "",
      stderr: expect.stringMatching(/^error: No ranks found\.\n→ /u),
    });
    const { stderr } = await exec("missing", "--json");
    expect(JSON.parse(stderr).error).toMatchObject({ code: "not-found", league: "X" });
  });

  it("names the option of an invalid command line, and where to look", async () => {
    const { code, stderr, stdout } = await exec("oen");
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain("→ see the options with: ranks --help");
  });

  it("ends with 70 for a bug, and quietly with the code of a child", async () => {
    expect(await exec("bug")).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("oops"),
    });
    expect(await exec("child")).toEqual({ code: 9, stdout: "", stderr: "" });
  });
});

it("help indents a description whose source has several lines, and wraps it as one text", async () => {
  const piped = await exec("--help");
  expect(piped.stdout).toContain("\n  Ranks of a league, of which\n  there are many.\n");
  const narrow = await execIn(24, "--help");
  expect(narrow.stdout).toMatch(/\n {2}Ranks of a league, of\n {2}which there are many\.\n/u);
});
