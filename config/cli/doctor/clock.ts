import { type Finding, fail, ok, skip, warn } from './finding.ts'
import type { Reader } from './reader.ts'

/** Receivers refuse signatures, and WhatsApp refuses links, if the clock is further off. */
const MAX_OFF_S = 60
const LOW_OFF_S = 5

/** Compares the clock with PostgreSQL's and a web server's. */
export async function checkClock(url: string, reader: Reader | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  if (reader?.now) findings.push(compare('clock of the database', await reader.now(), Date.now()))
  const began = Date.now()
  try {
    const answer = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    })
    const date = Date.parse(answer.headers.get('date') ?? '')
    // A Date has whole seconds and was created between the request and the answer.
    const here = (began + Date.now()) / 2
    if (Number.isNaN(date)) findings.push(skip('clock', `${url} answers without a Date`))
    else findings.push(compare('clock', date + 500, here))
  } catch {
    findings.push(skip('clock', `${url} is not reachable from here`))
  }
  return findings
}

function compare(check: string, theirs: number, ours: number): Finding {
  const off = Math.round((ours - theirs) / 1000)
  const found = `${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead'}`
  const advice = 'set the clock by NTP: timedatectl set-ntp true'
  if (Math.abs(off) > MAX_OFF_S) return fail(check, found, advice)
  return Math.abs(off) > LOW_OFF_S ? warn(check, found, advice) : ok(check, 'right')
}
