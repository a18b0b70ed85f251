import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { startProcess } from '../../support/process.ts'
import { admin } from '../../support/sessions.ts'
import { createVisitor } from './support.ts'

const FOLDER = 'dist/link-page'

describe('the link page of a release', () => {
  it('has every file that its documents and scripts load', async () => {
    // The files are its own, not those of the dashboard.
    const settings = { WAMUX_DATA_DIR: temporaryFolder(), WAMUX_PLUGINS: '-dashboard' }
    const gateway = await startProcess(settings, 'sandbox')
    try {
      expect((await createVisitor(`${gateway.url}/dashboard`).call('GET')).status).to.equal(404)
      expect(readdirSync(FOLDER).sort()).to.deep.equal(['link-page.css', 'link-page.js'])
      for (const file of readdirSync(FOLDER)) {
        const { status, text, headers } = await createVisitor(`${gateway.url}/link-page/${file}`).call('GET')
        expect(status, file).to.equal(200)
        expect(text).to.equal(readFileSync(`${FOLDER}/${file}`, 'utf8'))
        expect(headers.get('content-type')).to.match(
          file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
        )
      }
      for (const file of [
        'index.ts',
        '..%2findex.js',
        '..%2flink-page%2flink-page.js',
        'constructor',
        'link-page.html',
      ])
        expect((await createVisitor(`${gateway.url}/link-page/${file}`).call('GET')).status, file).to.equal(
          404,
        )
      const bytes = readdirSync(FOLDER).map((file) => gzipSync(readFileSync(`${FOLDER}/${file}`)).length)
      expect(bytes.reduce((sum, count) => sum + count)).to.be.below(20_000)
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
