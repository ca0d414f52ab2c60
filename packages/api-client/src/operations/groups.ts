/**
 * The groups of methods of a client: one method for each operation of the table, and the methods
 * that take several requests.
 */
import {
  type GroupName,
  operations,
  type Operation,
  type RouteName,
} from "@game-data/contract/routes";
import type { Api, EffectFace, Extras, Groups } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import { callerOf, type Client, open } from "./Client.ts";
import { upsertFilter } from "./itemFilters.ts";
import { fetchRanks } from "./leagues.ts";
import { fetchAllTabs, fetchSomeTabs } from "./stashes.ts";

/** The names of the groups of methods: `stashes`, `leagues`, … */
export const groupNames = Object.keys(operations) as ReadonlyArray<GroupName>;

/** Makes a group of methods of one user. */
export const makeGroup = <Group extends GroupName>(
  client: Client,
  group: Group,
): Groups<EffectFace>[Group] => {
  const methods: Record<string, unknown> = {};
  for (const [method, route] of Object.entries<Operation>(operations[group]))
    methods[method] = methodOf(client, `${group}.${method}` as RouteName, route);
  const add = extras[group as keyof typeof extras] as
    | ((methods: object, client: Client) => object)
    | undefined;
  return Object.assign(methods, add?.(methods, client)) as Groups<EffectFace>[Group];
};

const methodOf = (client: Client, name: RouteName, { body, params, query }: Operation) => {
  const keys = Object.keys(params);
  const call = callerOf(client, name);
  if (body !== undefined)
    return (...args: ReadonlyArray<unknown>) => {
      const [payload, options = {}] = args.slice(keys.length) as [unknown, CallOptions?];
      const request = Object.fromEntries([
        ...keys.map((key, index) => [key, args[index]]),
        ...Object.entries(options).filter(([key]) => Object.hasOwn(query ?? {}, key)),
      ]) as object;
      return call(request as never, options, payload);
    };
  if (keys.length === 0 && query === undefined)
    return (options?: CallOptions) => call({} as never, options);
  return (request: object = {}, options?: CallOptions) => call(request as never, options);
};

type Make = {
  readonly [Group in keyof Extras<EffectFace>]: (
    methods: Api<EffectFace>[Group],
    client: Client,
  ) => Extras<EffectFace>[Group];
};

const extras: Make = {
  itemFilters: (methods) => ({ upsert: upsertFilter(methods) }),
  leagues: (methods) => ({ ranks: fetchRanks(methods) }),
  stashes: (methods) => ({
    all: (request, options) => fetchAllTabs(methods, request, options),
    some: ({ ids, ...request }, options) => fetchSomeTabs(methods, request, ids, options),
  }),
  guildStashes: (methods) => ({
    all: (request, options) => fetchAllTabs(methods, request, options),
  }),
  publicStashTabs: (_, client) => ({
    raw: (request = {}, options) => open(client, "publicStashTabs.page", request, options),
  }),
  currencyExchange: (_, client) => ({
    raw: (request = {}, options) => open(client, "currencyExchange.page", request, options),
  }),
};
