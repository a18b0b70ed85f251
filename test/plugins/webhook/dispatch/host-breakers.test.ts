import { expect } from 'chai'
import type { WebhookConfig } from '../../../../plugins/webhook/config.ts'
import { createHostBreakers, hostOf } from '../../../../plugins/webhook/dispatch/host-breakers.ts'

const HOSTS = 1_000

describe('breakers of webhook hosts', () => {
  it('report a host as half-open no sooner than it admits a probe: timers may fire early by the clock', async () => {
    const config = { breakerFailures: 1, breakerSeconds: 0.002 } as WebhookConfig
    const breakers = createHostBreakers({ config })
    let reported = 0
    let early = 0
    await new Promise<void>((resolve) => {
      breakers.onTransition((host, to) => {
        if (to !== 'half-open') return
        reported += 1
        if (!breakers.of(host).admits()) early += 1
        if (reported === HOSTS) resolve()
      })
      // Spread over the milliseconds of the clock.
      const open = (left: number): void => {
        breakers.report(`http://host-${left}`, 'down')
        if (left > 1) setImmediate(open, left - 1)
      }
      open(HOSTS)
    })
    expect(early).to.equal(0)
  })

  it('name a host without what may be a secret: user, password, path and query', () => {
    expect(hostOf('HTTPS://user:p%40ss@Example.com:8443/hook?token=x')).to.equal('https://example.com:8443')
    expect(hostOf('http://127.0.0.1/a@b')).to.equal('http://127.0.0.1')
  })
})
