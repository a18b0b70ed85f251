import { expect } from 'chai'
import server from '../../../plugins/server/index.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'
import { refuses, shows } from '../../support/run/proof.ts'

describe('server', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: server }] })
  })
  after(() => gateway.stop())

  shows('GET /server/ok', 'answers without a token', async () => {
    expect((await gateway.get('/server/ok')).data).to.deep.equal({ status: 'ok', Details: 'Server is up' })
  })
  refuses('GET /server/ok', 'another method', async () => {
    expect(await gateway.post('/server/ok')).to.include({ status: 405, error: 'Method not allowed' })
  })

  shows('POST /server/license', 'returns licence and version to the admin', async () => {
    const { data } = await gateway.post('/server/license', {}, { admintoken: ADMIN })
    expect(data).to.include({ Licensed: true, Version: '0.0.0-test' })
  })
  refuses('POST /server/license', 'other callers, and an admin token in the query', async () => {
    expect(await gateway.post('/server/license')).to.include({ status: 401 })
    expect(await gateway.post(`/server/license?admintoken=${ADMIN}`)).to.include({ status: 401 })
  })

  shows('GET /server/update', 'accepts the admin token in the query too', async () => {
    expect(await gateway.get(`/server/update?admintoken=${ADMIN}`)).to.include({ success: true })
  })
  it('GET /server/plugins lists the plugins with their failures, to the admin alone', async () => {
    expect(await gateway.get('/server/plugins')).to.include({ status: 401 })
    const { data } = await gateway.get('/server/plugins', { admintoken: ADMIN })
    expect(data).to.deep.equal([
      {
        ...{ Name: 'server', Version: '0.1.0', State: 'ready', TranslatorFailures: 0 },
        Settings: data[0].Settings,
      },
    ])
    expect(data[0].Settings.map(({ Name }: { Name: string }) => Name)).to.include('minFreeBytes')
  })

  refuses('GET /server/update', 'a wrong token', async () => {
    expect(await gateway.get('/server/update?admintoken=x')).to.include({ error: 'invalid admin token' })
  })
})
