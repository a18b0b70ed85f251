import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/databases.ts'
import { isWhole } from '../../support/run/whole.ts'

/** A certificate and its private key, as paths of PEM files. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** What a server with TLS and its clients need. */
export interface Certificates {
  readonly ca: KeyPair
  /** Has signed nothing. */
  readonly otherCa: KeyPair
  /** For the address 127.0.0.1 alone, not for a name. */
  readonly server: KeyPair
  readonly client: KeyPair
}

const OPENSSL = '/usr/bin/openssl'
const SELF_SIGNED = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'

export const canMakeCertificates = (): boolean => existsSync(OPENSSL) || isWhole

export function makeCertificates(): Certificates {
  const folder = temporaryFolder()
  const make = (name: string, ...more: readonly string[]): KeyPair => {
    const pair = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
    const args = [...SELF_SIGNED.split(' '), '-subj', `/CN=${name}`, '-keyout', pair.key, '-out', pair.cert]
    execFileSync(OPENSSL, ['req', ...args, ...more], { stdio: 'pipe' })
    return pair
  }
  const ca = make('wamux test CA')
  const signed = ['-CA', ca.cert, '-CAkey', ca.key, '-addext', 'basicConstraints=critical,CA:FALSE']
  return {
    ca,
    otherCa: make('another CA'),
    server: make('wamux test server', ...signed, '-addext', 'subjectAltName=IP:127.0.0.1'),
    client: make('wamux test client', ...signed),
  }
}

/** As Node takes them. */
export function tlsOf({ ca, client }: Certificates): { ca: string; cert: string; key: string } {
  const [trusted, cert, key] = [ca.cert, client.cert, client.key].map((path) => readFileSync(path, 'utf8'))
  return { ca: trusted ?? '', cert: cert ?? '', key: key ?? '' }
}
