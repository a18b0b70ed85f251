import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { startProcess } from '../../support/process.ts'
import { admin } from '../../support/sessions.ts'
import { createVisitor } from './support.ts'

const FOLDER = 'plugins/link-page/page'

describe('the link page of a release', () => {
  it('has every file that its documents and scripts load', async () => {
    const gateway = await startProcess({ WAMUX_DATA_DIR: temporaryFolder() }, 'sandbox')
    try {
      for (const file of readdirSync(FOLDER)) {
        const { status, text, headers } = await createVisitor(`${gateway.url}/link-page/${file}`).call('GET')
        expect(status, file).to.equal(200)
        expect(text).to.equal(readFileSync(`${FOLDER}/${file}`, 'utf8'))
        expect(headers.get('content-type')).to.match(
          file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
        )
      }
      for (const file of ['index.ts', '..%2findex.js', 'constructor', 'link-page.html'])
        expect((await createVisitor(`${gateway.url}/link-page/${file}`).call('GET')).status, file).to.equal(
          404,
        )
      const { data } = await gateway.post('/session/init', {}, admin)
      const { data: made } = await gateway.post('/session/link-page', {}, { token: data.Token })
      const visitor = createVisitor(made.Url)
      await visitor.call('GET')
      expect((await visitor.call('POST')).status).to.equal(303)
      expect((await visitor.states(({ State }) => State === 'scan')).at(-1)).to.include({ State: 'scan' })
    } finally {
      await gateway.end('SIGTERM')
    }
  })
})
