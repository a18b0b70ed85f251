import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { buildPages } from '../../../config/cli/pages.ts'

const WEB = 'plugins/dashboard/web'
const LANGUAGES = ['en', 'pt', 'es', 'de', 'id']
const read = (path: string): string => readFileSync(path, 'utf8')

describe('the pages of the dashboard', () => {
  it('have every text in every language, with the same values in it', () => {
    const valuesOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    for (const file of readdirSync(join(WEB, 'text/en'))) {
      const english: Record<string, string> = JSON.parse(read(join(WEB, 'text/en', file)))
      for (const language of LANGUAGES) {
        const texts: Record<string, string> = JSON.parse(read(join(WEB, 'text', language, file)))
        expect(Object.keys(texts).sort(), `${language}/${file}`).to.deep.equal(Object.keys(english).sort())
        for (const [key, text] of Object.entries(texts)) {
          expect(text.trim(), `${language}/${file} ${key}`).to.not.equal('')
          expect(valuesOf(text), `${language}/${file} ${key}`).to.deep.equal(valuesOf(english[key] ?? ''))
        }
      }
    }
    for (const language of LANGUAGES)
      expect(readdirSync(join(WEB, 'text', language))).to.deep.equal(readdirSync(join(WEB, 'text/en')))
  })

  it('use no text that is missing, and no markup of their own making', () => {
    for (const name of readdirSync(WEB, { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue
      const text = read(join(WEB, name))
      expect(text, name).to.not.match(/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|\beval\(|style="/)
      expect(text.split('\n').length, name).to.be.at.most(401)
    }
  })

  it('are under 150 kB, compressed, in one language, and each screen is a file of its own', async () => {
    await buildPages(resolve('.'))
    const assets = 'build/dashboard/assets'
    const files = readdirSync(assets)
    const others = LANGUAGES.slice(1).map((language) => new RegExp(`^${language}-[\\w-]+\\.js$`))
    const loaded = files.filter((name) => !others.some((other) => other.test(name)))
    const bytes = loaded.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0)
    expect(bytes).to.be.below(150_000)
    for (const screen of readdirSync(join(WEB, 'screens'), { withFileTypes: true }))
      if (screen.isDirectory())
        expect(
          files.some((name) => name.startsWith(`${screen.name}-`)),
          screen.name,
        ).to.equal(true)
    expect(read('build/dashboard/index.html')).to.not.match(/<script(?![^>]*\bsrc=)|<style|style=|https?:/)
  })

  it('are built in a process of their own, whose memory goes with it, and once', async () => {
    const root = mkdtempSync(join(tmpdir(), 'wamux-pages-'))
    try {
      for (const path of [
        WEB,
        'plugins/link-page',
        'plugins/docs/clients/typescript',
        'config/build/web.ts',
        'config/build/publish.ts',
        'package.json',
        'tsconfig.json',
      ])
        cpSync(path, join(root, path), { recursive: true })
      symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
      expect([await buildPages(root), await buildPages(root)]).to.deep.equal([true, false])
      expect(read(join(root, 'build/dashboard/index.html'))).to.match(/<script/)
      const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
      expect(sharedObjects.filter((path) => path.includes('rolldown'))).to.deep.equal([])
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})
