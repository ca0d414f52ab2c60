/** Imports a module of this package, and all that it imports here, with one place changed. */
import { registerHooks } from "node:module";

/** The change: what stands in a file, and what is put in its place. */
export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const HERE = new URL("../../", import.meta.url).href;

/** Imports `path`, which is relative to this folder. Rejects if the mutation changes nothing. */
export const importMutant = async <A>(path: string, mutation: Mutation): Promise<A> => {
  const mark = `?mutant=${encodeURIComponent(mutation.file)}`;
  let isChanged = false;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const isOurs = found.url.startsWith(HERE) && !found.url.includes("/node_modules/");
      return isOurs && context.parentURL?.endsWith(mark)
        ? { ...found, url: found.url + mark }
        : found;
    },
    load: (url, context, next) => {
      const found = next(url, context);
      if (!url.endsWith(`${mutation.file}${mark}`)) return found;
      const source = String(found.source);
      isChanged = source.includes(mutation.from);
      return { ...found, source: source.replace(mutation.from, mutation.to) };
    },
  });
  try {
    const module = (await import(new URL(path, import.meta.url).href + mark)) as A;
    if (!isChanged) throw new Error(`${mutation.file} has no "${mutation.from}"`);
    return module;
  } finally {
    hooks.deregister();
  }
};
