import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  CLOUD_OBJECT_UNKNOWN: [
    400,
    "Object with ID '%s' does not exist, cannot be loaded due to missing permissions, or does not support this operation",
    {
      meaning: 'The Graph path names nothing that this token may use.',
      cause: 'The phone number id belongs to another session, or the key does not include it.',
      remedy: "Use the digits of the session's number, or its id, with the session's token.",
    },
  ],
  CLOUD_UNSUPPORTED: [
    400,
    'Not supported by this gateway: %s',
    {
      meaning: 'The Cloud API has this, the gateway does not.',
      cause: 'The request uses a part of the dialect that a linked device can not offer.',
      remedy: 'Leave the part out; the page of the plugin cloud-api lists what is supported.',
    },
  ],
  CLOUD_TEMPLATE_UNKNOWN: [
    404,
    'Template name (%s) does not exist in %s',
    {
      meaning: 'There is no template with this name and language.',
      cause: 'The template was not created on this gateway, or in another language.',
      remedy: 'Create the template, or correct its name and language.',
    },
  ],
  CLOUD_TEMPLATE_PARAMETERS: [
    400,
    'The template has %s parameters in its %s, but the message gives %s',
    {
      meaning: 'The number of parameters differs from that of the template.',
      cause: 'The template was changed, or the client fills in another one.',
      remedy: 'Give as many parameters as it has.',
    },
  ],
  CLOUD_MEDIA_FAILED: [
    502,
    'The file %s is not available: %s',
    {
      meaning: 'A file of a message is not available.',
      cause: 'Its id has expired, or the address can not be fetched.',
      remedy: 'Upload the file again, or correct its address.',
    },
  ],
  CLOUD_CALLBACK_FAILED: [
    400,
    'Callback verification failed: %s',
    {
      meaning: 'The callback address did not confirm its verification.',
      cause: 'It did not answer with the challenge, or the verify token differs.',
      remedy: 'It must answer a GET with the value of `hub.challenge`; compare the verify token.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
