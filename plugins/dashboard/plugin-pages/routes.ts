import { type RouteBuilder, T } from 'wamux/plugin'
import type { PluginFiles } from './files.ts'

const access = 'public'
const pathOf = (plugin: string, file: string): string => `/plugins/${encodeURIComponent(plugin)}/${file}`

export const routes = <D extends { pluginFiles: PluginFiles }>(r: RouteBuilder<D>) => [
  r.get('/plugins', {
    summary: 'List the pages of plugins in the dashboard',
    description:
      'The dashboard loads `Script` as a module, creates the custom element `Element`, sets its property `gateway`, and adds it to the document.',
    access,
    response: T.Object({
      Pages: T.Array(
        T.Object({
          Plugin: T.String(),
          Title: T.String(),
          Element: T.String({ description: 'Name of the custom element' }),
          Script: T.String({ description: 'Path of the module that defines it' }),
        }),
      ),
    }),
    handle: async (_, { pluginFiles }) => ({
      Pages: pluginFiles.all().flatMap(({ plugin, value: { page } }) =>
        page
          ? [
              {
                Plugin: plugin,
                Title: page.title,
                Element: page.element,
                Script: pathOf(plugin, page.script),
              },
            ]
          : [],
      ),
    }),
  }),
  r.get('/plugins/:plugin/:file', {
    // A page reads its own parameters.
    ignoresUnknown: true,
    summary: 'Files of a plugin for browsers',
    description: 'They may load files and call routes only of this gateway.',
    access,
    errors: ['ROUTE_UNKNOWN'],
    response: T.Unknown({ contentMediaType: 'application/octet-stream' }),
    handle: ({ params }, { pluginFiles }) => pluginFiles.get(params['plugin'] ?? '', params['file'] ?? ''),
  }),
]
