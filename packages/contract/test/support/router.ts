/**
 * A router that is not ours, over the forms of every path: without a realm, with one, and with `pc`
 * spelled out. `matchPath` is compared with it.
 */
import * as FindMyWay from "effect/http/FindMyWay";
import { type Route, routes } from "../../src/index.ts";

/** The operation's name by method and path. */
export const router = FindMyWay.make<string>({
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 1000,
});

const formsOf = ({ params, path, pcWhen, route }: Route): ReadonlyArray<string> => {
  if (!path.includes("/:realm?") || route.endsWith(":realm?")) return [path];
  const words = (params["realm"] as ReadonlyArray<string>).join("|");
  const forms = [path.replace("/:realm?", ""), path.replace("/:realm?", `/:realm(${words})`)];
  if (pcWhen !== undefined)
    forms.push(path.replace(":realm?", ":realm(pc)").replace(`:${pcWhen}`, `:${pcWhen}(${words})`));
  return forms;
};

for (const [name, route] of Object.entries<Route>(routes))
  for (const form of formsOf(route)) router.on(route.method, form as "/", name);
