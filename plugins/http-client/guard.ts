import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'
import { Refusal } from './reason.ts'

export interface Guard {
  /** Throws for an address literal that is not allowed; names are checked when they are resolved. */
  checkLiteral(hostname: string): void
  /** Connects with the given `buildConnector` of undici. */
  connector(build: typeof buildConnector): buildConnector.connector
}

type Cidr = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Keeps outgoing requests off private addresses: loopback, link-local, private, carrier, translated and
 * reserved ranges, in every spelling (`127.1`, `0x7f.1`, `::ffff:127.0.0.1` …). Literals never reach a resolver,
 * so they are checked separately; all addresses of a name must be allowed; and the address of the established
 * connection is checked again.
 *
 * @param allowed CIDRs, addresses or host names that are exempt.
 */
export function createGuard(allowed: readonly string[]): Guard {
  const names = new Set(allowed.filter((entry) => !isAddress(entry)).map((entry) => entry.toLowerCase()))
  const ranges: Cidr[] = allowed.filter(isAddress).map(toCidr)

  function assertAllowed(host: string, address: string): void {
    const parsed = ipaddr.process(address)
    if (parsed.range() === 'unicast') return
    if (ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))) return
    throw new Refusal('the host is on a private address; set WAMUX_ALLOW_PRIVATE_HOSTS to allow it', {
      cause: new Error(`${host} is on a private address (${parsed.toString()})`),
    })
  }

  function checkLiteral(hostname: string): void {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0) assertAllowed(host, host)
  }

  const options: buildConnector.BuildOptions = {
    timeout: 5_000,
    lookup(hostname, options, done) {
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
    },
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
            if (!names.has(target.hostname.toLowerCase()))
              assertAllowed(target.hostname, (socket as Socket).remoteAddress ?? '')
            return done(null, socket)
          } catch (refused) {
            socket.destroy()
            return done(refused as Error, null)
          }
        })
      }
    },
  }
}

function isAddress(entry: string): boolean {
  return ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)
}

function toCidr(entry: string): Cidr {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
