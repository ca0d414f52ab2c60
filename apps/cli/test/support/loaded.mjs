/** Preloaded into a program: at its end it tells on stderr which modules of this repository it has loaded. */
import { registerHooks } from "node:module";

const loaded = new Set();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /\/packages\/([\w-]+)\/src\//u.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(`loaded: ${[...loaded].toSorted().join(" ")}\n`));
