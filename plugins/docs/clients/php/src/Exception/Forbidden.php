<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 403: the token, the account or WhatsApp does not allow it. */
class Forbidden extends WamuxException
{
}
