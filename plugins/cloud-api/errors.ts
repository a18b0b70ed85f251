import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  CLOUD_OBJECT_UNKNOWN: [
    400,
    "Object with ID '%s' does not exist, cannot be loaded due to missing permissions, or does not support this operation",
  ],
  CLOUD_UNSUPPORTED: [400, 'Not supported by this gateway: %s'],
  CLOUD_TEMPLATE_UNKNOWN: [404, 'Template name (%s) does not exist in %s'],
  CLOUD_TEMPLATE_PARAMETERS: [400, 'The template has %s parameters in its %s, but the message gives %s'],
  CLOUD_MEDIA_FAILED: [502, 'The file %s is not available: %s'],
  CLOUD_CALLBACK_FAILED: [400, 'Callback verification failed: %s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
