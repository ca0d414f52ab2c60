/**
 * Runs command lines one after the other, and prints after each from which packages of this
 * repository modules are loaded.
 *
 * Usage: node runInTurn.ts '[["explain"],["--help"]]'
 */
import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /\/packages\/([\w-]+)\/src\//u.exec(url) ?? [];
    // Modules of the contract without imports, which flags and settings need.
    if (name !== undefined && !/\/contract\/src\/(?:Scope|SecureUrl|UserAgent)\.ts$/u.test(url))
      loaded.add(name);
    return next(url, context);
  },
});

const { Effect } = await import("effect");
const { Host } = await import("@game-data/terminal/Host");
const { run } = await import("@game-data/terminal/runMain");
const { testHost } = await import("@game-data/terminal/testHost");
const { gamedata } = await import("../../src/Cli.ts");

for (const args of JSON.parse(process.argv[2]!) as ReadonlyArray<ReadonlyArray<string>>) {
  const { host } = testHost(args, { input: "" });
  const running = run(gamedata, { name: "gamedata", version: "1.0.0" });
  await Effect.runPromise(Effect.provideService(running, Host, host));
  console.log(`loaded: ${[...loaded].toSorted().join(" ")}`);
}
