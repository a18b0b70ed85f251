import { generate } from 'selfsigned'

export interface Certificates {
  /** The authority's certificate; all three are PEM. */
  ca: string
  key: string
  cert: string
}

/** Creates an authority, and a certificate that it issued for loopback under the given host names. */
export async function createCertificates(names: readonly string[]): Promise<Certificates> {
  const options = { keyType: 'ec' as const, curve: 'P-256' as const, algorithm: 'sha256' }
  const authority = await generate([{ name: 'commonName', value: 'wamux sandbox' }], {
    ...options,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const altNames = [
    { type: 7 as const, ip: '127.0.0.1' },
    ...names.map((value) => ({ type: 2 as const, value })),
  ]
  const leaf = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    ...options,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { ca: authority.cert, key: leaf.private, cert: leaf.cert }
}
