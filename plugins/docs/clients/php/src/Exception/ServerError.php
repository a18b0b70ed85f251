<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 500 and above: the gateway, WhatsApp or a proxy failed. */
class ServerError extends WamuxException
{
}
