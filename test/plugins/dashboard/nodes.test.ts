import { expect } from 'chai'
import { freePort } from '../../../config/build/port.ts'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { type PostgresProxy, startPostgresProxy } from '../../storage/postgres-proxy.ts'
import { hasBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin, linkPhone } from '../../support/sessions.ts'
import { enter, type Operator, openBrowser, openOperator, picture } from './browser.ts'

describe('the dashboard of one of two nodes', function () {
  if (!hasBrowser()) return
  this.timeout(240_000)
  let loose: LooseNetwork
  let line: PostgresProxy
  let a: TestGateway
  let b: TestGateway
  let operator: Operator

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    const port = await freePort()
    // Any TCP connection.
    line = await startPostgresProxy(`http://127.0.0.1:${port}`)
    const url = line.url.replace(/\/$/, '')
    const leaseMs = 15_000
    b = await startNode({ name: 'b', card: loose.card, database, leaseMs, port, url })
    await linkPhone(b, await loose.phones.create({ name: 'Far' }))
    a = await startNode({ name: 'a', card: loose.card, database, leaseMs })
    operator = await openOperator(await openBrowser(), a.url)
    await enter(operator)
  })
  after(async () => {
    await operator?.close()
    await Promise.all([a?.stop(), b?.stop()])
    await line?.close()
    await loose?.network.close()
  })

  it('shows a session that the other one serves as that one knows it', async () => {
    const { page } = operator
    const row = page.getByRole('row').filter({ hasText: 'Far' })
    await row.getByText('Connected', { exact: true }).waitFor()
    await row.getByText('Node b').waitFor()
    await picture(page, 'nodes-fleet')
  })

  it('shows the checks and measures of both', async () => {
    const { page, open } = operator
    await open('/health')
    await page.getByText('All nodes are ready.').waitFor()
    const checks = page.getByRole('region', { name: 'Checks' })
    for (const name of ['a', 'b']) await checks.getByRole('cell', { name, exact: true }).first().waitFor()
    const measures = page.getByRole('region', { name: 'Measures' })
    for (const name of ['a', 'b']) await measures.getByRole('columnheader', { name, exact: true }).waitFor()
    const served = measures.getByRole('row', { name: 'Sessions that this node serves' })
    await eventually(async () => /serves\s*0\s*1$/.test(await served.innerText()), 'a has none, b has one')
    await picture(page, 'nodes-health')
  })

  it('names the other one when it does not answer, and calls its sessions unknown', async () => {
    const { page, open, complaints } = operator
    line.refuse(true)
    line.cut()
    await open('/health')
    await page.getByText(/^b does not answer: .*ECONN/).waitFor()
    await page.getByText('b does not answer: its part is unknown.').first().waitFor()
    await picture(page, 'nodes-health-away')
    await open('/')
    await page.getByText('Node b does not answer: the state of its sessions is unknown.').waitFor()
    await page.getByRole('row').filter({ hasText: 'Far' }).getByText('Unknown', { exact: true }).waitFor()
    await picture(page, 'nodes-fleet-away')
    // The browser's own line about the 502 of the metrics.
    expect(complaints.filter((text) => !/502.*\/metrics/.test(text))).to.deep.equal([])
    expect(operator.answers.filter((answer) => answer.includes(admin.admintoken))).to.deep.equal([])
  })
})
