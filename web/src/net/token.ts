/**
 * The token that the server gave in the address. It goes with every request by itself: cookies are shared by all
 * ports of a machine, so that of two studios the second would take the first one's away.
 */
const KEY = "sinew-token";

function find(): string {
  const given = new URLSearchParams(location.search).get("token");
  if (given) sessionStorage.setItem(KEY, given);
  return given ?? sessionStorage.getItem(KEY) ?? "";
}

const token = find();

/** For requests that can carry it beside their address, which stays the same for caches. */
export const tokenHeader = (): Record<string, string> => (token ? { "x-sinew-token": token } : {});

/** For those that cannot: sockets and links. */
export function withToken(address: string): string {
  if (!token) return address;
  return `${address}${address.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
}
