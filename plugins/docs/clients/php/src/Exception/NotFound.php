<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 404: no such route, session, message, group or chat. */
class NotFound extends WamuxException
{
}
