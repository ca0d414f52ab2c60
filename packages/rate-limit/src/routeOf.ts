const ID = /^(?:\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/iu;

/** Returns the default route of a request: method, host and path, with `{id}` for numbers and UUIDs. */
export const routeOf = (method: string, { host, pathname }: URL): string => {
  const parts = pathname.split("/").map((part) => (ID.test(part) ? "{id}" : part));
  return `${method.toUpperCase()} ${host}${parts.join("/")}`;
};
