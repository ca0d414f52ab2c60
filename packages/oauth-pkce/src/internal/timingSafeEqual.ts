/** Whether two strings are equal, in time that depends on their lengths only. */
export const timingSafeEqual = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length;
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return !difference;
};
