import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that no public service answers at: RFC 6890 and its registry, multicast and reserved space. The metadata
 * servers of clouds (169.254.169.254) are among them.
 */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Within 2000::/3, the only space that is routed publicly: protocol assignments, documentation, and IPv4 in disguise (6to4). */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const subnets = (family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
};

const NOT_PUBLIC = { 4: subnets('ipv4', NOT_PUBLIC_V4), 6: subnets('ipv6', NOT_PUBLIC_V6) };
const ROUTED_V6 = subnets('ipv6', [['2000::', 3]]);
const LOOPBACK_V4 = subnets('ipv4', [['127.0.0.0', 8]]);

/** An address that a subscriber's URL may lead to. An IPv4 address in IPv6 notation is none: nothing public is named so. */
function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC[4].check(address, 'ipv4');
    case 6:
      return ROUTED_V6.check(address, 'ipv6') && !NOT_PUBLIC[6].check(address, 'ipv6');
    default:
      return false;
  }
}

const isLoopback = (address: string): boolean =>
  isIPv6(address) ? address === '::1' : LOOPBACK_V4.check(address, 'ipv4');

/** Names that are reserved for private networks; `metadata.google.internal` is one. */
const PRIVATE_NAME = /(?:^|\.)(?:internal|local|localhost)\.?$/;

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

export type Target =
  | {
      readonly kind: 'target';
      readonly url: URL;
      /** Whether a connection may be made to this address. */
      readonly mayConnect: (address: string) => boolean;
    }
  | { readonly kind: 'forbidden'; readonly why: string };

/**
 * What a subscriber's URL may be: https to a public host. Names are judged once they are resolved, by `mayConnect`;
 * addresses here, in whatever notation, since the URL parser writes 2130706433 and 0x7f.1 as 127.0.0.1.
 * @param allowLoopback lets http and https to this machine through, for local use
 */
export function targetOf(text: string, allowLoopback: boolean): Target {
  const url = URL.parse(text);
  if (url === null) return { kind: 'forbidden', why: 'it is no URL' };
  if (allowLoopback && LOOPBACK_NAMES.has(url.hostname) && ['http:', 'https:'].includes(url.protocol)) {
    return { kind: 'target', url, mayConnect: isLoopback };
  }
  if (url.protocol !== 'https:') return { kind: 'forbidden', why: 'it is no https:// URL' };
  if (url.username !== '' || url.password !== '') return { kind: 'forbidden', why: 'it holds a user or a password' };
  if (PRIVATE_NAME.test(url.hostname)) return { kind: 'forbidden', why: `${url.hostname} is a private name` };
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) return { kind: 'forbidden', why: `${host} is not a public address` };
  return { kind: 'target', url, mayConnect: isPublic };
}
