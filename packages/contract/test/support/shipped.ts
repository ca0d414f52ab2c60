/** The functions of the route table, called by group and name: shorter where a test has both. */
import {
  requestTarget,
  type Requests,
  type RouteName,
  urlOf as urlOfRoute,
  type Words,
} from "../../src/routes/index.ts";

type Groups = RouteName extends `${infer Group}.${string}` ? Group : never;
type Names<Group extends Groups> =
  Extract<RouteName, `${Group}.${string}`> extends `${Group}.${infer Name}` ? Name : never;
type RequestOf<Group extends Groups, Name extends Names<Group>> = Requests[Extract<
  RouteName,
  `${Group}.${Name}`
>];

export const pathOf = <Group extends Groups, Name extends Names<Group>>(
  group: Group,
  name: Name,
  params: RequestOf<Group, Name>,
  words?: Words,
): string => requestTarget(`${group}.${name}` as RouteName, params as never, words);

export const urlOf = <Group extends Groups, Name extends Names<Group>>(
  deployment: { readonly baseUrl: string; readonly words?: Words },
  group: Group,
  name: Name,
  request: RequestOf<Group, Name>,
): string => urlOfRoute(deployment, `${group}.${name}` as RouteName, request as never);
