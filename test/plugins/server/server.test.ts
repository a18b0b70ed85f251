import { expect } from 'chai'
import server from '../../../plugins/server/index.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

describe('server', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: server }] })
  })
  after(() => gateway.stop())

  it('is up for everyone', async () => {
    expect((await gateway.get('/server/ok')).data).to.deep.equal({ status: 'ok', Details: 'Server is up' })
  })

  it('tells its licence and version to the admin alone', async () => {
    expect(await gateway.post('/server/license')).to.include({ status: 401 })
    const { data } = await gateway.post('/server/license', {}, { admintoken: ADMIN })
    expect(data).to.include({ Licensed: true, Version: '0.0.0-test' })
  })

  it('takes the admin token in the query here and nowhere else', async () => {
    expect(await gateway.get(`/server/update?admintoken=${ADMIN}`)).to.include({ success: true })
    expect(await gateway.post(`/server/license?admintoken=${ADMIN}`)).to.include({ status: 401 })
  })
})
