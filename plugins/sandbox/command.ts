#!/usr/bin/env node
/** `wamux-network`: starts the local network alone, for clients in other processes, like `wamux network`. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const manifest = createRequire(import.meta.url).resolve('wamux/package.json')
const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { wamux: string } }

process.argv.splice(2, 0, 'network')
await import(pathToFileURL(join(dirname(manifest), bin.wamux)).href)
