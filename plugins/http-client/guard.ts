import { type LookupAddress, lookup } from 'node:dns'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'
import { withTimeout } from 'wamux/plugin'
import { FetchRefusal } from './reason.ts'

export interface Guard {
  /** Throws for an address literal that is not allowed; names are checked when they are resolved. */
  checkLiteral(hostname: string): void
  /** Connects with the given `buildConnector` of undici. */
  connector(build: typeof buildConnector): buildConnector.connector
  /** A plain TCP connection, without undici. */
  connect(host: string, port: number): Promise<Socket>
}

/** How long a connection may take to open. */
const CONNECT_MS = 5_000

type Address = ReturnType<typeof ipaddr.process>
type Cidr = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Keeps outgoing requests off private addresses: loopback, link-local, private, carrier, translated and
 * reserved ranges, metadata services of clouds, and everything that embeds an IPv4 address, in every spelling (`127.1`,
 * `0x7f.1`, `::ffff:127.0.0.1` …). Literals never reach a resolver, so they are checked separately; all addresses of a name
 * must be allowed; and the address of the established
 * connection is checked again.
 *
 * @param allowed CIDRs, addresses or host names that are exempt.
 */
export function createGuard(allowed: readonly string[]): Guard {
  const names = new Set(allowed.filter((entry) => !isAddress(entry)).map((entry) => entry.toLowerCase()))
  const ranges: Cidr[] = allowed.filter(isAddress).map(toCidr)

  function assertAllowed(host: string, address: string): void {
    const parsed = ipaddr.process(spelled(address))
    if (isPublic(parsed)) return
    if (ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))) return
    throw new FetchRefusal(
      `the host is on a private address; the operator can allow it: ${wayToAllow(host)}`,
      {
        cause: new Error(`${host} is on a private address (${parsed.toString()})`),
      },
    )
  }

  /** What to add to the configuration; reveals neither the addresses of a name nor other exemptions. */
  const wayToAllow = (host: string): string =>
    allowed.length > 0 ? `add ,${host} to WAMUX_ALLOW_PRIVATE_HOSTS` : `WAMUX_ALLOW_PRIVATE_HOSTS=${host}`

  function checkLiteral(hostname: string): void {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0) assertAllowed(host, host)
  }

  const guardedLookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, [])
      try {
        if (!names.has(hostname.toLowerCase()))
          for (const { address } of addresses) assertAllowed(hostname, address)
      } catch (refused) {
        return done(refused as NodeJS.ErrnoException, [])
      }
      const [first] = addresses
      return options.all ? done(null, addresses) : done(null, first?.address ?? '', first?.family)
    })
  }
  const options: buildConnector.BuildOptions = { timeout: CONNECT_MS, lookup: guardedLookup }

  /** For an established connection: the name may have resolved to another address since the check. */
  function assertConnected(hostname: string, { remoteAddress = '' }: Socket): void {
    if (!names.has(hostname.toLowerCase())) assertAllowed(hostname, remoteAddress)
  }

  return {
    checkLiteral,
    connector(build) {
      const connect = build(options)
      return (target, done) => {
        try {
          checkLiteral(target.hostname)
        } catch (refused) {
          return done(refused as Error, null)
        }
        return connect(target, (error, socket) => {
          if (error || !socket) return done(error ?? new Error('no connection'), null)
          try {
            assertConnected(target.hostname, socket as Socket)
            return done(null, socket)
          } catch (refused) {
            socket.destroy()
            return done(refused as Error, null)
          }
        })
      }
    },
    async connect(host, port) {
      checkLiteral(host)
      const socket = connect({ host, port, lookup: guardedLookup, noDelay: true, keepAlive: true })
      // Between two owners it has no other listener.
      socket.on('error', () => undefined)
      const late = (): never => {
        throw Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
      }
      try {
        await withTimeout(once(socket, 'connect'), CONNECT_MS, late)
        assertConnected(host, socket)
        return socket
      } catch (error) {
        socket.destroy()
        throw error
      }
    },
  }
}

/** On Azure, the host's services for each machine, including credentials (Microsoft, "What is IP address 168.63.129.16?"). */
const WIRE_SERVER = '168.63.129.16'
/** The whole global unicast range (RFC 4291, 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/**
 * Interface identifier of an IPv4 address within an IPv6 one, with and without the universal bit (ISATAP, RFC 5214, 6.1).
 */
const ISATAP: readonly (number | undefined)[] = [0, 0x200]

/** Whether it is a single public host, not a route to another address. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  if (!isV6(address)) return address.toString() !== WIRE_SERVER
  const { parts } = address
  return address.match(GLOBAL_UNICAST) && !(parts[5] === 0x5efe && ISATAP.includes(parts[4]))
}

/** The canonical spelling of an IPv6 address: only ipaddr.js treats `::8.8.8.8` as `::ffff:8.8.8.8`. */
function spelled(address: string): string {
  const isPlain = isIP(address) === 6 && !address.includes('%')
  return isPlain ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

function isV6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6'
}

function isAddress(entry: string): boolean {
  return ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)
}

function toCidr(entry: string): Cidr {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
