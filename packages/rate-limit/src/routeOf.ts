const ID = /\/(?:\d+|[\da-f]{8}[\da-f-]{4,})(?=\/|$)/giu;

/**
 * Returns the default route of a request: method, host and path, with `{id}` for numbers, UUIDs and
 * long hexadecimal ids.
 */
export const routeOf = (method: string, { host, pathname }: URL): string =>
  `${method} ${host}${pathname.replace(ID, "/{id}")}`;
