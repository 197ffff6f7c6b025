// TokenRefresh
