import { expect } from 'chai'
import { definePlugin, type HealthCheck } from '../../../kernel/plugin.ts'
import server from '../../../plugins/server/index.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'
import { openShop } from '../../support/world.ts'

describe('GET /server/live and GET /server/ready', () => {
  const withCheck = (check: HealthCheck): Promise<TestGateway> => {
    const plugin = definePlugin({
      name: 'crm',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: { healthChecks: () => ({ crm: check }) },
    })
    return startedGateway({ plugins: [{ plugin: server }, { plugin }] })
  }
  const readyOf = async (gateway: TestGateway) => {
    const answer = await gateway.get('/server/ready')
    const checks = answer.data.Checks as { Name: string; Ok: boolean; Why: string; Plugin: string }[]
    return { answer, byName: new Map(checks.map((check) => [check.Name, check])) }
  }

  it('are 200 on a whole gateway, without a token, with every check by name', async () => {
    const { world } = await openShop()
    expect(await world.gateway.get('/server/live')).to.deep.include({ status: 200, data: { Live: true } })
    const { data, status } = await world.gateway.get('/server/ready')
    expect(status).to.equal(200)
    expect(data.Ready).to.equal(true)
    expect(data.Checks.map(({ Name }: { Name: string }) => Name)).to.include.members([
      'database',
      'disk',
      'driver',
    ])
    await world.stop()
  })

  const failures: [what: string, check: HealthCheck, why: RegExp][] = [
    ['says why not', { check: async () => 'the CRM is away' }, /^the CRM is away$/],
    ['rejects', { check: () => Promise.reject(new Error('no connection')) }, /^no connection$/],
    [
      'throws',
      {
        check() {
          throw new Error('a bug')
        },
      },
      /^a bug$/,
    ],
    [
      'does not answer',
      { timeoutMs: 50, check: () => new Promise(() => undefined) },
      /^no answer within 50 ms$/,
    ],
  ]
  for (const [what, check, why] of failures)
    it(`ready is 503 when the check of a plugin ${what}, and live stays 200`, async () => {
      const gateway = await withCheck(check)
      const { answer, byName } = await readyOf(gateway)
      expect(answer).to.include({ status: 503, code: 503, success: false })
      expect(answer.error).to.match(/^Not ready: .*crm: /)
      expect(byName.get('crm')).to.include({ Ok: false, Plugin: 'crm' })
      expect(byName.get('crm')?.Why).to.match(why)
      expect(byName.get('database')).to.include({ Ok: true, Why: '' })
      expect(await gateway.get('/server/live')).to.include({ status: 200 })
      expect(await gateway.get('/server/ok')).to.include({ status: 200 })
      await gateway.stop()
    })

  it('ready is 503 without a driver, and with less space in the data folder than is set', async () => {
    const config = { minFreeBytes: Number.MAX_SAFE_INTEGER }
    const gateway = await startedGateway({ plugins: [{ plugin: server, config }] })
    const { answer, byName } = await readyOf(gateway)
    expect(answer.status).to.equal(503)
    expect(byName.get('driver')?.Why).to.equal('no running plugin provides a driver')
    expect(byName.get('disk')?.Why).to.match(
      /^the data folder has \d+ bytes free, fewer than 9007199254740991$/,
    )
    await gateway.stop()
  })

  it('share a run: many calls at once make one', async () => {
    let runs = 0
    const gateway = await withCheck({
      check: async () => {
        runs += 1
        return undefined
      },
    })
    await Promise.all(Array.from({ length: 20 }, () => gateway.get('/server/ready')))
    expect(runs).to.equal(1)
    await gateway.stop()
  })
})
