/**
 * `gamedata completion`: installs the completion of the shells, and removes it.
 *
 * The script lies in a file of its own, in the user's folder for data; a shell that does not look
 * there gets one line that reads it. Installing again replaces the file and adds no line.
 */
import { attemptToWrite } from "../output/outputFile.ts";
import { command, commands, help } from "./command.ts";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { outputFlags, print } from "@game-data/terminal/Output";
import { Effect, Option } from "effect";
import { Argument, Command, Completions } from "effect/cli";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const shell = Argument.Literals("shell", SHELLS).pipe(
  Argument.withDescription("Shell (default: that of the variable SHELL)"),
  Argument.optional,
);

/** Marks the line that is ours. */
const MARK = "# gamedata completion";

/** The script's file, and the file with the line that reads it. fish finds its file by itself. */
const placesOf = (of: Shell, env: Readonly<Record<string, string | undefined>>) => {
  const home = env["HOME"];
  if (!home) return undefined;
  const folder = (name: string, otherwise: string) => env[name] || join(home, otherwise);
  if (of === "fish") {
    const config = folder("XDG_CONFIG_HOME", ".config");
    return { script: join(config, "fish/completions/gamedata.fish"), startup: undefined };
  }
  const script = join(folder("XDG_DATA_HOME", ".local/share"), `gamedata/completion.${of}`);
  const startup = of === "zsh" ? join(folder("ZDOTDIR", ""), ".zshrc") : join(home, ".bashrc");
  return { script, startup };
};

/** The line of a startup file. zsh registers completions only after `compinit`. */
const lineOf = (of: Shell, script: string) => {
  const quoted = `'${script.replaceAll("'", `'\\''`)}'`;
  const prepare = of === "zsh" ? "autoload -Uz compinit && compinit && " : "";
  return `[ -r ${quoted} ] && ${prepare}. ${quoted} ${MARK}`;
};

const placed = Effect.fnUntraced(function* (given: Option.Option<Shell>) {
  const { env } = yield* Host;
  const used = basename(env["SHELL"] ?? "");
  const of = Option.getOrElse(given, () => SHELLS.find((each) => each === used));
  if (of === undefined)
    return yield* failure(
      "usage",
      `The shell ${used || "is unknown and"} has no completion here.`,
      {
        next: `name one: gamedata completion install ${SHELLS.join("|")}`,
      },
    );
  const places = placesOf(of, env);
  if (places === undefined)
    return yield* failure("setting-invalid", "The home folder is unknown.", { next: "set HOME" });
  return { of, ...places };
});

/** The startup file without our line. */
const withoutLine = (path: string) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => !line.endsWith(MARK))
        .join("\n")
    : "";

/** `runMain` gives every program these flags. */
const withOutput = (root: Command.Command.Any): Command.Command.Any =>
  Command.withGlobalFlags(outputFlags)(root as Command.Command<string, unknown>);

/** Makes the completion command; `root` gives the command line that is completed. */
export const completionCommand = (root: () => Command.Command.Any) => {
  const installCommand = command(
    "install",
    help(
      "Install the completion of a shell: a file, and for bash and zsh one line that reads it. Repeat it after an update.",
      { "gamedata completion install": "For the shell that you use" },
    ),
    { shell },
    Effect.fnUntraced(function* (given) {
      const { of, script, startup } = yield* placed(given.shell);
      const text = Completions.generate(
        "gamedata",
        of,
        Completions.fromCommand(withOutput(root())),
      );
      yield* attemptToWrite(script, () => {
        mkdirSync(dirname(script), { recursive: true });
        writeFileSync(script, text);
      });
      if (startup !== undefined)
        yield* attemptToWrite(startup, () => {
          const before = withoutLine(startup);
          const end = before === "" || before.endsWith("\n") ? "" : "\n";
          writeFileSync(startup, `${before}${end}${lineOf(of, script)}\n`);
        });
      yield* print({ shell: of, script, startup }, () => `Installed ${script}. Start a new shell.`);
    }),
  );
  const uninstallCommand = command(
    "uninstall",
    help("Remove the completion of a shell, and the line that reads it.", {
      "gamedata completion uninstall zsh": "Of another shell",
    }),
    { shell },
    Effect.fnUntraced(function* (given) {
      const { of, script, startup } = yield* placed(given.shell);
      yield* attemptToWrite(script, () => rmSync(script, { force: true }));
      if (startup !== undefined && existsSync(startup))
        yield* attemptToWrite(startup, () => writeFileSync(startup, withoutLine(startup)));
      yield* print({ shell: of, script, startup }, () => `Removed ${script}.`);
    }),
  );
  return commands("completion", "Install or remove the completion of a shell", [
    installCommand,
    uninstallCommand,
  ]);
};
