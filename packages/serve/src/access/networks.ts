// Addresses and networks in CIDR notation: "10.0.0.7", "10.0.0.0/8", "2001:db8::/32".
import { BlockList, isIP } from "node:net";

const CIDR = /^([0-9a-f.:]+)(?:\/([1-9]\d{0,2}))?$/i;

interface Network {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/** undefined if the text is not a network, or is one without bounds (/0). */
function parseNetwork(text: string): Network | undefined {
  const [, address = "", bits] = CIDR.exec(text) ?? [];
  const version = isIP(address);
  const widest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? widest : Number(bits);
  if (version === 0 || prefix > widest) return undefined;
  return { address, family: version === 4 ? "ipv4" : "ipv6", prefix };
}

export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

/** Tells whether an address is in one of the networks; text that is not an address is in none. */
export function inNetworks(texts: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of texts) {
    const network = parseNetwork(text);
    if (network !== undefined) list.addSubnet(network.address, network.prefix, network.family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}
