/**
 * What a callback gave. One that is typed to give no promise may give one by mistake, whose
 * rejection would end the process.
 */
export const unheard = <A>(given: A): A => {
  Promise.resolve(given).catch(() => undefined);
  return given;
};
