import type { Command } from 'commander'
import type { Environment } from '../../environment.ts'
import { print } from '../print.ts'
import { called, remoteSessionOf, type SessionOptions, withSessionOptions } from './remote.ts'

interface Options extends SessionOptions {
  id?: string
}

export function addSend(program: Command, env: () => Environment): void {
  withSessionOptions(program.command('send <phone> <text>'))
    .description('send a text through a running gateway')
    .option('--id <id>', 'id of the message: a repetition with it sends nothing new')
    .action(async (phone: string, text: string, options: Options) => {
      const { client, url } = await remoteSessionOf(env(), options)
      const body = { Phone: phone, Body: text, ...(options.id ? { Id: options.id } : {}) }
      const { Id, Details } = await called(url, () => client.post('/send/text', body))
      print(`${Details}: ${Id}`)
    })
}
