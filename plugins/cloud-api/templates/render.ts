import { gatewayError } from 'wamux/plugin'
import type { ParameterGiven, TemplateGiven } from '../messages/body.ts'
import { choiceOf, type LinkButton, type Parts } from '../messages/parts.ts'
import type { Template, TemplateButton } from './templates.ts'

const FILES = ['image', 'video', 'document'] as const

/** Fills a template with the parameters of a request. Throws CLOUD_TEMPLATE_PARAMETERS if their number differs. */
export function templateParts(template: Template, { components: given = [] }: TemplateGiven): Parts {
  const parametersOf = (type: string): ParameterGiven[] =>
    given.find((component) => component.type?.toLowerCase() === type)?.parameters ?? []
  const part = (type: string) => template.components.find((one) => one.type.toUpperCase() === type)
  const header = part('HEADER')
  const kind = FILES.find((name) => name.toUpperCase() === header?.format?.toUpperCase())
  const file = kind && parametersOf('header').find((parameter) => parameter[kind])?.[kind]
  if (kind && !file) throw gatewayError('CLOUD_TEMPLATE_PARAMETERS', [1, 'header', 0])
  const buttons = part('BUTTONS')?.buttons ?? []
  const buttonOf = (index: number): ParameterGiven | undefined =>
    given.find((one) => one.type?.toLowerCase() === 'button' && Number(one.index ?? 0) === index)
      ?.parameters?.[0]
  const replies = buttons.flatMap((button, index) =>
    button.type.toUpperCase() === 'QUICK_REPLY'
      ? [choiceOf({ id: buttonOf(index)?.payload ?? button.text ?? '', title: button.text ?? '' })]
      : [],
  )
  return {
    kind: 'template',
    ...(kind && file ? { file: { kind, given: file } } : {}),
    title: kind ? undefined : filled(header?.text ?? '', parametersOf('header'), 'header'),
    body: filled(part('BODY')?.text ?? '', parametersOf('body'), 'body'),
    footer: part('FOOTER')?.text,
    choices: replies,
    links: buttons.flatMap((button, index) => linkOf(button, buttonOf(index))),
  }
}

/** Names in double braces, numbers or words, in order of first occurrence. */
function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name))]
}

function filled(text: string, parameters: readonly ParameterGiven[], where: string): string {
  const names = variablesOf(text)
  if (names.length !== parameters.length)
    throw gatewayError('CLOUD_TEMPLATE_PARAMETERS', [names.length, where, parameters.length])
  const values = new Map(
    parameters.map((parameter, at) => [parameter.parameter_name ?? String(at + 1), textIn(parameter)]),
  )
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined)
      throw gatewayError('FIELD_MISSING', [`template.components.${where}.parameters.${name}`])
    return value
  })
}

function textIn({ text, currency, date_time, coupon_code }: ParameterGiven): string | undefined {
  const value = text ?? currency?.fallback_value ?? date_time?.fallback_value ?? coupon_code
  return value === undefined ? undefined : String(value)
}

function linkOf(
  { type, text = '', url = '', phone_number = '' }: TemplateButton,
  given?: ParameterGiven,
): LinkButton[] {
  const kind = type.toUpperCase()
  if (kind === 'URL') {
    const target = variablesOf(url).length > 0 ? filled(url, given ? [given] : [], 'buttons') : url
    return [{ label: text, target, kind: 'url' }]
  }
  if (kind === 'PHONE_NUMBER') return [{ label: text, target: phone_number, kind: 'call' }]
  if (kind === 'COPY_CODE')
    return [{ label: text || 'Code', target: textIn(given ?? {}) ?? '', kind: 'copy' }]
  return []
}
