import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'
import { albumRoutes } from './routes-album.ts'
import { buttonRoutes } from './routes-buttons.ts'
import { carouselRoutes } from './routes-carousel.ts'
import { eventRoutes } from './routes-event.ts'
import { mediaUrlRoutes } from './routes-mediaurl.ts'
import { payRoutes } from './routes-pay.ts'
import { previewRoutes } from './routes-preview.ts'
import { richRoutes } from './routes-rich.ts'

/** Sending text, files, locations, contacts, polls, previews, buttons, lists, carousels and payments. */
export default definePlugin({
  name: 'send',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  needs: ['media', 'sender', 'targets'],
  routes: (r) => [
    ...routes(r),
    ...richRoutes(r),
    ...eventRoutes(r),
    ...albumRoutes(r),
    ...mediaUrlRoutes(r),
    ...previewRoutes(r),
    ...buttonRoutes(r),
    ...carouselRoutes(r),
    ...payRoutes(r),
  ],
})
